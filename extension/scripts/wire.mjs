// Generates src/core/wire.gen.ts from onnxlab/wire/schema.py. PYTHON names an interpreter that has onnxlab.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { compile } from 'json-schema-to-typescript';

const python = process.env.PYTHON ?? 'python3';
const printed = execFileSync(python, ['scripts/wire_schema.py'], {
  encoding: 'utf8',
  env: { ...process.env, PYTHONPATH: '..' },
});
const { digest, schema } = JSON.parse(printed);

/** Bytes travel as msgpack binary, whatever JSON would make of them. */
function asTypes(part) {
  if (part === null || typeof part !== 'object') return part;
  if (Array.isArray(part)) return part.map(asTypes);
  if (part.contentEncoding === 'base64') return { tsType: 'Uint8Array' };
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, asTypes(value)]));
}

// A root that refers to each message keeps all names; the root itself is then taken out again.
const names = Object.keys(schema.$defs);
const root = {
  title: 'WireRoot',
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
  required: names,
  $defs: asTypes(schema.$defs),
};
const types = await compile(root, 'WireRoot', {
  additionalProperties: false,
  bannerComment: '',
  unreachableDefinitions: false,
  style: { singleQuote: true },
});
const withoutRoot = types.replace(/export interface WireRoot \{[^}]*\}\n/, '');
if (withoutRoot.includes('WireRoot')) throw new Error('the root type could not be taken out');

writeFileSync(
  'src/core/wire.gen.ts',
  [
    '// Generated from onnxlab/wire/schema.py by `npm run wire`; do not edit.',
    `// schema ${digest}`,
    '',
    `export const WIRE_VERSION = ${schema.version};`,
    '',
    withoutRoot.trimStart(),
  ].join('\n'),
);
