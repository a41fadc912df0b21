import { describe, it } from 'vitest'
import { KILLS_LIMIT_MS, runQueueKills } from './triggers-queue-kills.ts'

describe('queue trigger on rabbitmq, deliveries in a SQLite file', () => {
  it(
    '[TS-190] kill -9 between receipt and acknowledgement: each effect once, none lost',
    async ({ skip }) => {
      if (!(await runQueueKills('rabbitmq', 'sqlite'))) skip('rabbitmq or Redis is not there')
    },
    KILLS_LIMIT_MS,
  )
})
