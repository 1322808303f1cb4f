use super::*;

fn one(line: &str) -> (Vec<String>, Vec<String>, Value, String, String) {
    let (specs, description) = specs(line, Place::Line(false));
    assert_eq!(specs.len(), 1, "{specs:?}");
    let spec = specs.into_iter().next().unwrap();
    (spec.flags, spec.negated, spec.value, spec.values.join(" "), description)
}

#[test]
fn spellings_and_values_are_those_of_the_text() {
    use Value::{None, Optional, Required};
    for (line, flags, negated, value, name, description) in [
        ("-a, --all                  do not ignore", "-a --all", "", None, "", "do not ignore"),
        ("--block-size=SIZE      with -l, scale", "--block-size", "", Required, "SIZE", "with -l, scale"),
        ("--color[=WHEN]         color", "--color", "", Optional, "[=WHEN]", "color"),
        ("-x, --x[=V]  y", "-x --x", "", Optional, "[=V]", "y"),
        ("-o OUT, --output OUT  write", "-o --output", "", Required, "OUT", "write"),
        ("--max-speed=x           -s x   Set it", "--max-speed -s", "", Required, "x", "Set it"),
        ("--search[=n]            -S[n]  Find it", "--search -S", "", Optional, "[=n]", "Find it"),
        ("--level    <a | b> Level of it", "--level", "", Required, "<a | b>", "Level of it"),
        ("-tiff <string>: set it: none", "-tiff", "", Required, "<string>", "set it: none"),
        ("--pull policy[=\"missing\"]   Pull it", "--pull", "", Optional, "policy", "Pull it"),
        ("--rerun int[=2]   Run it again", "--rerun", "", Optional, "int", "Run it again"),
        ("-d key[=value]   Set it", "-d", "", Required, "key[=value]", "Set it"),
        ("-q, --[no-]quiet      be quiet", "-q --quiet", "--no-quiet", None, "", "be quiet"),
        ("-c, --clean / --dirty   Remove", "-c --clean", "--dirty", None, "", "Remove"),
        ("-s, --strict / --no-strict   Enable", "-s --strict", "--no-strict", None, "", "Enable"),
        ("-t, --theme [a|b]", "-t --theme", "", Required, "[a|b]", ""),
        ("--attach strings   Attach to", "--attach", "", Required, "strings", "Attach to"),
        ("-h  --help         print this", "-h --help", "", None, "", "print this"),
        ("-cp <class search path>  x", "-cp", "", Required, "<class search path>", "x"),
        ("-n, --lines=[-]NUM       print", "-n --lines", "", Required, "[-]NUM", "print"),
        ("-DNAME=VAL   define", "-D", "", Required, "NAME=VAL", "define"),
        ("-e, --regexp=PATTERNS  use", "-e --regexp", "", Required, "PATTERNS", "use"),
        ("--foo <a> <b>  two", "--foo", "", Required, "<a> <b>", "two"),
        ("-?, --help", "-? --help", "", None, "", ""),
        ("-i, --in [FILE]", "-i --in", "", Optional, "[FILE]", ""),
        ("--x:K=V   set", "--x", "", Required, "K=V", "set"),
        ("-/+ls   turn it on", "-ls", "+ls", None, "", "turn it on"),
        ("+[no]recurse   ask others", "+recurse", "+norecurse", None, "", "ask others"),
        ("+timeout=T   wait", "+timeout", "", Required, "T", "wait"),
        ("--host             <str>   The host", "--host", "", Required, "<str>", "The host"),
        ("--count INTEGER RANGE   Count", "--count", "", Required, "INTEGER RANGE", "Count"),
        ("--pair A B   two values", "--pair", "", Required, "A B", "two values"),
        ("--level            INTEGER RANGE  The level", "--level", "", Required, "INTEGER", "The level"),
        ("--quiet            <bool>  Say less", "--quiet", "", None, "", "Say less"),
        ("--reload  --no-reload    Again", "--reload", "--no-reload", None, "", "Again"),
        ("--entry   -e     <str>   Where", "--entry -e", "", Required, "<str>", "Where"),
        ("--append  -A chain   Append", "--append -A", "", Required, "chain", "Append"),
        ("-s  --quiet  --silent  Less", "-s --quiet --silent", "", None, "", "Less"),
        ("--empty (stop|drop)  how", "--empty", "", Required, "(stop|drop)", "how"),
        ("--set name=value, -S name=value", "--set -S", "", Required, "name=value", ""),
        ("--dir d [d ...]  where", "--dir", "", Required, "d [d ...]", "where"),
        ("--ext [String]   Kinds", "--ext", "", Required, "[String]", "Kinds"),
        ("--files-with-matches  print", "--files-with-matches", "", None, "", "print"),
    ] {
        let (got, got_negated, got_value, got_name, got_description) = one(line);
        let all = (got.join(" "), got_negated.join(" "), got_value, got_name, got_description);
        let expected = (flags.to_owned(), negated.to_owned(), value, name.to_owned(), description.to_owned());
        assert_eq!(all, expected, "{line}");
    }
}

#[test]
fn options_behind_a_slash_share_their_value() {
    let of = |line: &str| {
        let (found, _) = specs(line, Place::Line(false));
        found
            .iter()
            .map(|spec| format!("{} {}", spec.flags.join(","), spec.values.join("+")))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("-oN/-oX <file>: Write it"), ["-oN <file>", "-oX <file>"]);
    assert_eq!(of("-n/-R: Never resolve"), ["-n ", "-R "]);
    assert_eq!(of("-h/--help  this"), ["-h,--help "]);
}

#[test]
fn a_line_can_have_several_options() {
    let (found, rest) = specs("-amin N -anewer FILE -empty -fprintf FILE FORMAT", Place::Line(false));
    let flags: Vec<String> =
        found.iter().map(|spec| format!("{} {}", spec.flags.join(","), spec.values.join("+"))).collect();
    assert_eq!(flags, ["-amin N", "-anewer FILE", "-empty ", "-fprintf FILE+FORMAT"]);
    assert_eq!(rest, "");
}
