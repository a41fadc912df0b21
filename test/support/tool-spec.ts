import type { SpecProblem } from '../../src/sources/tool-spec/finding.ts'
import { parseToolSpec } from '../../src/sources/tool-spec/parse.ts'

/** A tool spec that uses every part of the format and has no problem. */
export const ORCHARD = `
domain: orchard
version: "2.1"
base_url: \u0024{ORCHARD_BASE_URL}

auth: { type: basic, env: ORCHARD_USERNAME }      # password comes from ORCHARD_PASSWORD

tools:
  - name: list_trees
    description: Lists trees of one plot, newest first.
    method: GET
    path: /plots/{plot_id}/trees
    params:
      - { name: plot_id, type: integer, required: true, description: Plot number. }
      - { name: kind, type: string, enum: [apple, pear, plum], description: Only this kind. }
      - { name: limit, type: integer, default: 20, description: How many to return. }

  - name: plant_tree
    description: Plants a tree and returns its record.
    method: POST
    path: /plots/{plot_id}/trees
    auth: { type: api_key, env: ORCHARD_WRITE_KEY, header: X-Orchard-Key }
    params:
      - { name: plot_id, type: integer, required: true, description: Plot number. }
    body:
      - { name: kind, type: string, required: true, enum: [apple, pear, plum], description: Kind of tree. }
      - name: labels
        type: array
        description: Free labels.
        items: { type: string }
      - name: site
        type: object
        description: Where it stands.
        properties:
          - { name: row, type: integer, required: true, description: Row. }
          - { name: seat, type: integer, required: true, description: Place in the row. }

triggers:
  - { type: webhook,  name: on_frost,   description: Frost alarm from the sensor net., path: /webhooks/orchard/frost, event: frost.alarm, secret_env: ORCHARD_WEBHOOK_SECRET }
  - { type: schedule, name: nightly,    description: Nightly count., cron: "0 2 * * *" }
  - { type: emit,     name: harvested,  description: Tells other agents a plot is done., event: orchard.harvested }
  - { type: queue,    name: orders,     description: Incoming orders., queue_url: "amqp://localhost/orders", queue_env: ORCHARD_AMQP }
  - { type: file,     name: price_list, description: New price lists., watch_path: ./inbox/**/*.csv, events: [create, modify] }
`

/** Problems of a text, errors and warnings alike. */
export function problemsOf(text: string, options = {}): readonly SpecProblem[] {
  const parsed = parseToolSpec(text, { file: 'x.tool-spec.yaml', ...options })
  return parsed.ok ? parsed.warnings : parsed.problems
}

/** One problem in short: code and path. */
export function short(text: string, options = {}): string[] {
  return problemsOf(text, options).map(({ code, path }) => `${code} ${path}`.trim())
}

/** A spec with one tool whose remaining keys are given as YAML lines. */
export function tool(lines: string, top = 'base_url: https://api.example.com'): string {
  const keys = lines.split('\n').map((line) => `    ${line}`)
  return `domain: x\n${top}\ntools:\n  - name: a\n    description: Does a.\n${keys.join('\n')}\n`
}

/** A spec with one body field given as a flow mapping. */
export function field(flow: string): string {
  return tool(`method: POST\npath: /a\nbody:\n  - ${flow}`)
}

/** A spec with one tool and the given auth, a flow mapping. */
export function auth(flow: string): string {
  return tool('method: GET\npath: /a', `base_url: https://api.example.com\nauth: ${flow}`)
}

/** A spec with one trigger given as a flow mapping. */
export function trigger(flow: string): string {
  return `domain: x\ntools: []\ntriggers:\n  - ${flow}\n`
}
