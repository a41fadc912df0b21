// Builds dist/ from src/ with plain tsc.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
process.exit(status ?? 1)
