export { type MaintenanceExtensionOptions, maintenanceExtension } from './maintenance.ts'
export { endMaintenance, startMaintenance } from './state.ts'
