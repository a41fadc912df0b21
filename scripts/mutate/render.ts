import { dump } from 'js-yaml'
import type { Chance } from './chance.ts'
import type { Node } from './sites.ts'

/** Writes a document as a text, the way careless tools do. */
export function render(document: Node, chance: Chance): { text: string; how: string } {
  const how = chance.pick(Object.keys(WAYS))
  return { text: WAYS[how]?.(document, chance) ?? '', how }
}

const WAYS: Readonly<Record<string, (document: Node, chance: Chance) => string>> = {
  json: (document) => JSON.stringify(document),
  'json with BOM': (document) => `\ufeff${JSON.stringify(document, null, 2)}`,
  'json with CRLF': (document) => JSON.stringify(document, null, 2).replaceAll('\n', '\r\n'),
  'json with tabs': (document) => JSON.stringify(document, null, '\t'),
  'json with duplicate keys': (document) => {
    const text = JSON.stringify(document, null, 2)
    return text.replace('{', '{ "info": { "title": "first" }, "x-a": 1, "x-a": 2,')
  },
  'json with trailing commas': (document) =>
    JSON.stringify(document, null, 2).replace(/([\]}"])\n(\s*[\]}])/g, '$1,\n$2'),
  'json with comments': (document) =>
    JSON.stringify(document, null, 2)
      .replace('{\n', '{\n  // a comment\n  /* another */\n')
      .replace(/,\n/g, ', // more\n'),
  yaml: (document) => toYaml(document),
  'yaml with BOM and CRLF': (document) => `\ufeff${toYaml(document).replaceAll('\n', '\r\n')}`,
  'yaml with directive': (document) => `%YAML 1.2\n---\n${toYaml(document)}...\n`,
  'yaml with duplicate keys': (document) => `x-a: 1\nx-a: 2\n${toYaml(document)}`,
  'yaml with its own types': (document) => `${toYaml(document)}${MESS}`,
  'yaml with bare codes': (document) =>
    toYaml(document)
      .replace(/^( +)'(\d\d\d)':/gm, '$1$2:')
      .replace(/^(openapi|swagger): '?([\d.]+)'?$/m, '$1: $2'),
  'yaml with tabs': (document) => toYaml(document).replace(/^( +)([\w-]+): /gm, '$1$2:\t'),
}

function toYaml(document: Node): string {
  return dump(JSON.parse(JSON.stringify(document)), { lineWidth: 100 })
}

const MESS = `x-mess: &mess
  on: yes
  no: off
  y: ~
  date: 2020-01-01
  time: 2020-01-01T00:00:00Z
  octal: 0o17
  old: 017
  hex: 0xFF
  number: 1_000
  infinite: .inf
  nothing: .nan
  sexagesimal: 1:30
  tagged: !custom { a: 1 }
  listed: !!set { a, b }
  binary: !!binary aGVsbG8=
  ? complex key
  : value
x-merged:
  <<: *mess
  <<: { on: no }
  again: *mess
`
