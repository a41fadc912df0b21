import type { Command } from './command.ts'
import * as documents from './grammar/documents.ts'
import { forgeCommand } from './grammar/forge.ts'
import * as running from './grammar/running.ts'
import * as serving from './grammar/serving.ts'

/** All commands, in the order of the help. Each loads its code when it is run, so that listing them costs nothing. */
export const COMMANDS: readonly Command[] = [
  serving.initCommand,
  serving.serveCommand,
  serving.pinsCommand,
  serving.keysCommand,
  serving.auditCommand,
  running.callCommand,
  running.describeCommand,
  running.capabilitiesCommand,
  running.healthCommand,
  running.doctorCommand,
  running.operationsCommand,
  running.triggersCommand,
  forgeCommand,
  documents.generateCommand,
  documents.diffCommand,
  serving.mockCommand,
  serving.verifyCommand,
  documents.negotiateCommand,
  documents.checkCommand,
  documents.docsCommand,
  documents.createCompletionCommand(() => COMMANDS),
]
