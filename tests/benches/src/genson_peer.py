"""Runs GenSON as it is.

Without arguments: each line of stdin is a job {"at": [n, ...], "documents": [...]}; the answer is one line
with the schemas after so many documents. With a file: learns its lines and prints the schema.
"""

import json
import sys

from genson import SchemaBuilder


def jobs():
    for line in sys.stdin:
        job = json.loads(line)
        builder = SchemaBuilder()
        schemas = []
        fed = 0
        for n in job["at"]:
            for document in job["documents"][fed:n]:
                builder.add_object(document)
            fed = n
            schemas.append(builder.to_schema())
        print(json.dumps(schemas), flush=True)


def file(path):
    builder = SchemaBuilder()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            builder.add_object(json.loads(line))
    print(builder.to_json())


if len(sys.argv) > 1:
    file(sys.argv[1])
else:
    jobs()
