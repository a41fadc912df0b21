export { dryRunExtension } from './dry-run.ts'
