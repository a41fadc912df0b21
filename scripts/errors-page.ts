import { writeFileSync } from 'node:fs'
import { formatErrorsPage } from './format-errors-page.ts'

writeFileSync(new URL('../docs/reference/errors.md', import.meta.url), formatErrorsPage())
