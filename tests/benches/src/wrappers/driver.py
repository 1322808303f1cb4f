"""Reads every value with its wrapper. Arguments: a file of cases. Prints a JSON list of outcomes."""

import functools
import json
import sys
from importlib import import_module

sys.path.insert(0, ".")
from schemascope_runtime.model import _hints, _plain  # noqa: E402
from schemascope_runtime.values import identity, loads  # noqa: E402


def same(one, other):
    """Whether two JSON texts have the same values, and the same kinds of numbers."""
    def exact(value):
        if isinstance(value, dict):
            return {key: exact(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [exact(inner) for inner in value]
        return (type(value).__name__, value)
    return exact(json.loads(one)) == exact(json.loads(other))


outcomes = []
for case in json.load(open(sys.argv[1])):
    value = loads(case["json"])
    outcome = {"accepted": False, "unchanged": False, "error": None}
    try:
        parse = functools.reduce(getattr, case["parse"].split("."), import_module(case["module"]))
        result = parse(value)
        outcome["accepted"] = True
        text = result.model_dump_json(by_alias=True, exclude_unset=True)
        outcome["unchanged"] = same(text, case["json"]) and identity(result.raw) == identity(value)
        for name, (wire, _, _) in _hints(type(result)).items():
            shown = _plain(getattr(result, name))
            if wire is None or result.has(wire):
                sent = result.raw if wire is None else result.raw[wire]
                outcome["unchanged"] &= identity(shown) == identity(sent)
            else:
                outcome["unchanged"] &= shown is None
        repr(result)
        type(result).model_validate(value)
    except Exception as error:
        outcome["error"] = f"{type(error).__name__}: {error}"
    outcomes.append(outcome)
print(json.dumps(outcomes))
