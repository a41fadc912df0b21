export { simulationExtension } from './simulation.ts'
