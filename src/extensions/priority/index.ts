export {
  PRIORITY_LEVELS,
  type PriorityExtensionOptions,
  type PriorityLevel,
  priorityExtension,
} from './priority.ts'
