"""Print the wire format as one JSON schema, from which ``wire.gen.ts`` is made."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import msgspec

from onnxlab.wire import schema

MESSAGES = {
    "ViewDocument": schema.ViewDocument,
    "Request": schema.Request,
    "Response": schema.Response,
}


def json_schema() -> dict[str, Any]:
    """Return every message of the wire format under ``$defs``."""
    roots, definitions = msgspec.json.schema_components(
        list(MESSAGES.values()), ref_template="#/$defs/{name}"
    )
    named = dict(zip(MESSAGES, roots, strict=True))
    unions = {name: root for name, root in named.items() if name not in definitions}
    return {"version": schema.VERSION, "$defs": {**definitions, **unions}}


def digest() -> str:
    """Return the hash that the generated file carries, by which a test sees that it is current."""
    text = json.dumps(json_schema(), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Write the schema and its digest to standard output."""
    json.dump({"digest": digest(), "schema": json_schema()}, sys.stdout)


if __name__ == "__main__":
    main()
