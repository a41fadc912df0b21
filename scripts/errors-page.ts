import { writeFileSync } from 'node:fs'
import { formatErrorsPage } from './format-errors-page.ts'

writeFileSync(new URL('../docs/errors.md', import.meta.url), formatErrorsPage())
