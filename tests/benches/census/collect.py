#!/usr/bin/env python3
"""Calls the tools of servers.json and writes the first good result of each to results.ndjson.

Usage: collect.py WORK_DIRECTORY [SERVER...]

Each server is installed at WORK_DIRECTORY/js/NAME (npm) or WORK_DIRECTORY/py/NAME (a virtual environment) at the
version in servers.json, with the constraints in `with`. It gets a directory with a few fixed files. Of each server the
first 12 tools in its own order are called, less those that need the network or a person.
"""

import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
SECONDS = 40
# Longer results are left out of the committed file.
LONGEST = 6000


class Server:
    """A server on its standard input and output."""

    def __init__(self, command, directory, environment):
        self.process = subprocess.Popen(
            command, cwd=directory, env={**os.environ, **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")
        self.lines = queue.Queue()
        self.number = 0
        threading.Thread(target=self.read, daemon=True).start()
        self.request("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "census", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, parameters):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        while True:
            line = self.lines.get(timeout=SECONDS)
            if line is None:
                raise RuntimeError("the server ended")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") != self.number or "method" in message:
                continue
            if "error" in message:
                return {"error": message["error"]}
            return message["result"]


def prepare(directory):
    """Writes the files that calls refer to."""
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "src").mkdir(parents=True)
    (directory / "notes.md").write_text("---\ntags: [a, b]\n---\n# Notes\n\nSee [[other]].\n\n- one\n- two\n")
    (directory / "other.md").write_text("# Other\n\nText about ships.\n")
    (directory / "data.json").write_text('{"name": "demo", "items": [1, 2, 3]}\n')
    (directory / "package.json").write_text('{"name": "demo", "version": "1.0.0", "type": "module"}\n')
    (directory / "eslint.config.js").write_text('export default [{rules: {"no-unused-vars": "error"}}];\n')
    (directory / "src" / "app.py").write_text(
        "import os\n\n\nclass Ship:\n    def name(self):\n        return os.name\n\n\ndef main():\n    print(Ship().name())\n")
    (directory / "src" / "app.js").write_text("function main() {\n  const unused = 1;\n  return 2;\n}\nmain();\n")
    def git(*words):
        subprocess.run(["git", "-c", "user.name=demo", "-c", "user.email=demo@example.com", *words],
                       cwd=directory, check=True, capture_output=True)
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "Add files")
    (directory / "data.json").write_text('{"name": "demo", "items": [1, 2, 3, 4]}\n')


def filled(value, places):
    """Puts directories in the place of their names."""
    if isinstance(value, str):
        for name, path in places.items():
            value = value.replace("{%s}" % name, str(path))
        return value
    if isinstance(value, list):
        return [filled(item, places) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, places) for key, item in value.items()}
    return value


def main():
    root = pathlib.Path(sys.argv[1])
    servers = json.loads((HERE / "servers.json").read_text())
    chosen = sys.argv[2:] or list(servers)
    rows = []
    for name in chosen:
        server = servers[name]
        demo = root / "demo" / name
        prepare(demo)
        home = root / "py" / name if server["registry"] == "pypi" else root / "js" / name / "node_modules"
        places = {"home": home, "demo": demo}
        try:
            running = Server(filled(server["command"], places), demo, filled(server.get("environment", {}), places))
            tools = running.request("tools/list", {}).get("tools", [])
        except Exception as error:
            print(f"{name}: cannot start: {error!r}", file=sys.stderr)
            continue
        known = {tool["name"]: tool for tool in tools}
        print(f"{name}: {len(tools)} tools, not called: {sorted(set(known) - {c[0] for c in server['calls']})}", file=sys.stderr)
        for tool, arguments, *note in server["calls"]:
            try:
                result = running.request("tools/call", {"name": tool, "arguments": filled(arguments, places)})
            except Exception as error:
                print(f"{name} {tool}: {error!r}", file=sys.stderr)
                break
            if "error" in result or result.get("isError"):
                print(f"{name} {tool}: failed: {json.dumps(result)[:300]}", file=sys.stderr)
                continue
            if note == ["prepares"]:
                continue
            text = json.dumps(result, ensure_ascii=False).replace(str(demo), "/demo").replace(str(root), "/census")
            if len(text) > LONGEST:
                print(f"{name} {tool}: {len(text)} characters, left out", file=sys.stderr)
                continue
            declares = "outputSchema" in known.get(tool, {})
            rows.append({"server": name, "tool": tool, "declares": declares, "result": json.loads(text)})
        running.process.terminate()
    with (HERE / "results.ndjson" if not sys.argv[2:] else root / "some.ndjson").open("w") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


main()
