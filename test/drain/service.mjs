import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineFunction } from 'waymark'

/** Its call says when it has begun, and ends when the file is there that it was told. */
export default createService({
  info: { title: 'Slow', version: '1.0.0' },
  functions: [
    defineFunction({
      name: 'slow.wait',
      version: '1.0.0',
      input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
      async handler({ input }) {
        process.stderr.write('begun\n')
        while (!existsSync(input.file)) await sleep(5)
        return 'done'
      },
    }),
  ],
})
