import type { Command } from '../command.ts'
import { HEADER_FLAG, JSON_FLAG, listFlag, textFlag, toggleFlag } from '../flags.ts'

/** Calls a function of a service. */
export const callCommand: Command = {
  name: 'call',
  summary: 'Call a function and print its result',
  usage: '<url> <function> [name=value… | JSON]',
  flags: {
    args: textFlag('file', 'read the arguments object from a file, or - for stdin'),
    version: textFlag('semver', 'version of the function; latest stable when absent'),
    deadline: textFlag('time', 'how long to wait: 500ms, 5s, 2m'),
    'idempotency-key': textFlag('key', 'run at most once under this key'),
    'dry-run': toggleFlag('say what would happen, change nothing'),
    stream: toggleFlag('print each item of a function that streams, as a line of JSON'),
    async: toggleFlag('let the call go on in the background, and print its operation'),
    wait: toggleFlag('like --async, but wait for the end and print the result'),
    simulate: textFlag('scenario', 'answer from a simulation scenario'),
    out: textFlag('file', 'save the file of the result, or the result, here; a folder ends in /'),
    extension: listFlag('urn[=options]', 'declare an extension, with options as JSON'),
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'print the whole outcome: result or errors, extensions, meta' },
  },
  examples: [
    'waymark call http://127.0.0.1:4000 events.list status=published',
    'waymark call http://127.0.0.1:4000 events.create \'{"name":"Fair"}\' --dry-run',
    'waymark call http://127.0.0.1:4000 events.list pagination.page=2 --json',
    'waymark call http://127.0.0.1:4000 reports.build year=2027 --stream',
    'waymark call http://127.0.0.1:4000 reports.build year=2027 --wait',
  ],
  run: async (input) => (await import('../commands/call.ts')).runCallCommand(input),
}

/** Explains a service or one of its functions. */
export const describeCommand: Command = {
  name: 'describe',
  summary: 'Explain a service, or one function of it',
  usage: '<url|source> [function]',
  flags: {
    version: textFlag('semver', 'version of the function'),
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'print the discovery document, or the function in it' },
  },
  examples: [
    'waymark describe http://127.0.0.1:4000',
    'waymark describe http://127.0.0.1:4000 events.get',
    'waymark describe http://127.0.0.1:4000 --json > service.json',
    'waymark describe service.ts orders.create',
  ],
  run: async (input) => (await import('../commands/describe.ts')).runDescribeCommand(input),
}

/** Shows what a service supports. */
export const capabilitiesCommand: Command = {
  name: 'capabilities',
  summary: 'Show what a service supports: functions, extensions, limits',
  usage: '<url>',
  flags: { header: HEADER_FLAG, json: JSON_FLAG },
  examples: ['waymark capabilities http://127.0.0.1:4000'],
  run: async (input) => (await import('../commands/capabilities.ts')).runCapabilitiesCommand(input),
}

/** Shows how well a service works. */
export const healthCommand: Command = {
  name: 'health',
  summary: 'Show the health of a service and its components',
  usage: '<url>',
  flags: {
    component: textFlag('name', 'check one component only'),
    header: HEADER_FLAG,
    json: JSON_FLAG,
  },
  examples: ['waymark health http://127.0.0.1:4000', 'waymark health http://127.0.0.1:4000 --json'],
  run: async (input) => (await import('../commands/health.ts')).runHealthCommand(input),
}

/** Looks at a deployment. */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check a deployment: machine, store and service, and say what to do next',
  usage: '[url]',
  flags: {
    store: textFlag('url', 'sqlite:PATH, redis://…, postgres://…; default: WAYMARK_STORE'),
    namespace: textFlag('name', 'separates services in one store; default: WAYMARK_NAMESPACE'),
    header: HEADER_FLAG,
    json: JSON_FLAG,
  },
  examples: [
    'waymark doctor',
    'waymark doctor https://api.example.com --store redis://127.0.0.1:6379',
    'waymark doctor --store sqlite:data/state.db --json',
  ],
  run: async (input) => (await import('../commands/doctor.ts')).runDoctorCommand(input),
}

/** Looks after calls that go on in the background. */
export const operationsCommand: Command = {
  name: 'operations',
  summary: 'List, show and cancel calls that go on in the background',
  usage: 'list|show|cancel <url> [id]',
  subcommands: {
    list: { usage: '<url>', summary: 'List the operations of a service' },
    show: { usage: '<url> <id>', summary: 'Show one operation' },
    cancel: { usage: '<url> <id>', summary: 'Cancel one operation' },
  },
  flags: {
    status: textFlag(
      'status',
      'only those that are pending, processing, completed, failed or cancelled',
      { of: ['list'] },
    ),
    function: textFlag('name', 'only those of this function', { of: ['list'] }),
    limit: textFlag('number', 'at most this many, 1 to 100; 50 when absent', { of: ['list'] }),
    cursor: textFlag('text', 'continue where a page ended', { of: ['list'] }),
    wait: toggleFlag('wait for the end and print the result', { of: ['show'] }),
    header: HEADER_FLAG,
    json: JSON_FLAG,
  },
  examples: [
    'waymark operations list http://127.0.0.1:4000 --status processing',
    'waymark operations show http://127.0.0.1:4000 op_01J… --wait',
    'waymark operations cancel http://127.0.0.1:4000 op_01J…',
  ],
  run: async (input) => (await import('../commands/operations.ts')).runOperationsCommand(input),
}

/** Shows the triggers of a service, and sends deliveries again. */
export const triggersCommand: Command = {
  name: 'triggers',
  summary: 'Show triggers, their next runs and deliveries; send dead letters again; try one out',
  usage: 'list|deliveries|redeliver|next|test <url|source> [id|name]',
  subcommands: {
    list: { usage: '<url>', summary: 'List the triggers of a service' },
    deliveries: { usage: '<url>', summary: 'List what was delivered, and what failed' },
    redeliver: { usage: '<url> [id]', summary: 'Send a delivery, or all dead letters, again' },
    next: { usage: '<url|source>', summary: 'Show when schedules run next' },
    test: { usage: '<url|source> <name>', summary: 'Run one trigger with a payload of yours' },
  },
  flags: {
    trigger: textFlag('name', 'one trigger only', { of: ['deliveries', 'redeliver', 'next'] }),
    state: textFlag('state', 'received, running, retrying, done or dead', { of: ['deliveries'] }),
    limit: textFlag('number', 'how many, 20 when absent', { of: ['deliveries'] }),
    cursor: textFlag('text', 'continue after a page', { of: ['deliveries'] }),
    dead: toggleFlag('every dead letter', { of: ['redeliver'] }),
    count: textFlag('number', 'how many runs, 5 when absent', { of: ['next'] }),
    payload: textFlag('JSON|@file|-', 'what the event carries, - for stdin', { of: ['test'] }),
    'dry-run': toggleFlag('show what would be called, call nothing', { of: ['test'] }),
    header: HEADER_FLAG,
    json: JSON_FLAG,
  },
  examples: [
    'waymark triggers list http://127.0.0.1:4000',
    'waymark triggers deliveries http://127.0.0.1:4000 --state dead',
    'waymark triggers redeliver http://127.0.0.1:4000 dlv_…',
    'waymark triggers redeliver http://127.0.0.1:4000 --dead --trigger order_paid',
    'waymark triggers next tools/shop.tool-spec.yaml --count 3',
    'waymark triggers test shop.ts order_paid --payload \'{"id":"o1"}\' --dry-run',
    'waymark triggers test http://127.0.0.1:4000 order_paid --payload @order.json',
  ],
  run: async (input) => (await import('../commands/triggers.ts')).runTriggersCommand(input),
}
