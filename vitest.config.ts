import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['waymark-source'] },
  ssr: { resolve: { conditions: ['waymark-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['test/runtimes/**', 'test/.docs/**', '**/node_modules/**'],
    // Most tests wait for servers, browsers and timers: one worker would leave the machine idle.
    maxWorkers: 2,
    testTimeout: 20_000,
    env: { NODE_ENV: 'test' },
  },
})
