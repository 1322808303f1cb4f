"""Runs three programs on every result and compares what they print. Argument: a file of cases."""

import contextlib
import importlib
import io
import json
import sys
import warnings
from pathlib import Path

cases = json.load(open(sys.argv[1]))
root = Path(sys.argv[1]).parent
warnings.simplefilter("error")


def parsers(folder):
    """The `parse` of every tool in a folder of wrappers."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("servers", "schemascope_runtime")]:
        del sys.modules[name]
    sys.path.insert(0, str(root / folder))
    found = [getattr(importlib.import_module(case["module"]), case["result"]).parse for case in cases]
    sys.path.pop(0)
    return found


def printed(body, result):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(body, {"result": result})
    return out.getvalue()


helpers, models = parsers("helper"), parsers("model")
results = lines = different = 0
for case, helper, model in zip(cases, helpers, models):
    for value in case["results"]:
        results += 1
        expected = printed(case["defensive"], value)
        lines += expected.count("\n")
        for name, parse in (("helper", helper), ("model", model)):
            try:
                found = printed(case[name], parse(value))
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            if found != expected:
                different += 1
                if different <= 10:
                    print(f"  {case['tool']} {name} on {json.dumps(value)[:200]}:\n{case[name]}\n--- {found}\n+++ {expected}")
print(f"tasks: {len(cases)} tools, {results} results, {lines} lines printed, {different} programs print something else")
sys.exit(1 if different else 0)
