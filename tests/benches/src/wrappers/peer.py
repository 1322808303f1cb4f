"""What datamodel-code-generator makes of schemas. Arguments: a file of cases. Prints a JSON object of counts."""

import importlib.util
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import TypeAdapter

FLAGS = [
    "--input-file-type", "jsonschema", "--output-model-type", "pydantic_v2.BaseModel", "--class-name", "Model",
    "--disable-warnings", "--ignore-pyproject", "--no-formatters", "--disable-timestamp",
]  # fmt: skip
TUNED = [
    "--strict-nullable", "--enum-field-as-literal", "all", "--field-constraints", "--strict-types", "str", "int",
    "float", "bool", "--use-tuple-for-fixed-items", "--use-tuple-for-closed-arrays", "--generate-schema-validators",
    "--check-pattern-maps-strictly", "--read-unevaluated-properties", "--intersect-allof-keywords",
    "--read-const-beside-enum", "--extra-fields", "allow",
]  # fmt: skip


def exact(value):
    """A value in which `1`, `1.0` and `true` are different."""
    if isinstance(value, dict):
        return {key: exact(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [exact(inner) for inner in value]
    return (type(value).__name__, value)


def generate(job):
    schema, flags, folder = job
    folder.mkdir()
    (folder / "schema.json").write_text(json.dumps(schema))
    out = folder / "model.py"
    command = [str(Path(sys.executable).parent / "datamodel-codegen"), "--input", str(folder / "schema.json")]
    run = subprocess.run([*command, "--output", str(out), *FLAGS, *flags], capture_output=True, check=False)
    return out if run.returncode == 0 and out.is_file() else None


def measure(cases, flags, folder):
    counts = {"generate": 0, "compile": 0, "accepted": 0, "unchanged": 0, "rejected": 0}
    jobs = [(case["schema"], flags, folder / str(at)) for at, case in enumerate(cases)]
    with ThreadPoolExecutor(2) as pool:
        modules = list(pool.map(generate, jobs))
    for at, (case, path) in enumerate(zip(cases, modules, strict=True)):
        if path is None:
            continue
        counts["generate"] += 1
        try:
            spec = importlib.util.spec_from_file_location(f"{folder.name}_{at}", path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            model = TypeAdapter(module.Model)
        except Exception:
            continue
        counts["compile"] += 1
        for text in case["accept"]:
            try:
                result = model.validate_python(json.loads(text))
                counts["accepted"] += 1
                shown = model.dump_json(result, by_alias=True, exclude_unset=True)
                counts["unchanged"] += exact(json.loads(shown)) == exact(json.loads(text))
            except Exception:
                pass
        for text in case["reject"]:
            try:
                model.validate_python(json.loads(text))
            except Exception:
                counts["rejected"] += 1
    return counts


cases = json.loads(Path(sys.argv[1]).read_text())
with tempfile.TemporaryDirectory() as scratch:
    rows = {
        name: measure(cases, flags, Path(scratch, label))
        for name, label, flags in [
            ("datamodel-code-generator", "plain", []),
            ("datamodel-code-generator, flags tuned", "tuned", TUNED),
        ]
        if not Path(scratch, label).mkdir()
    }
print(json.dumps(rows))
