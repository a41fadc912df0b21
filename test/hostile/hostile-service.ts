import { createService, defineFunction } from 'waymark'

const version = '1.0.0'

/** What the hostile run throws its requests at, in a process of its own. */
export default createService({
  info: { title: 'Target', version },
  log: { warn() {}, error() {} },
  functions: [
    defineFunction({
      name: 'target.find',
      version,
      readOnly: true,
      input: {
        type: 'object',
        properties: {
          row: { type: 'string' },
          list: { type: 'array', items: { type: 'integer' } },
        },
      },
      handler: () => ({ data: [] }),
    }),
    defineFunction({
      name: 'target.busy',
      version,
      handler() {
        const end = performance.now() + 10
        while (performance.now() < end);
        return 'done'
      },
    }),
  ],
})
