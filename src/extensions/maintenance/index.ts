export { type MaintenanceExtensionOptions, maintenanceExtension } from './maintenance.ts'
export { endMaintenance, type MaintenanceWindow, startMaintenance } from './state.ts'
