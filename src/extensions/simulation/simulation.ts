import {
  type Extension,
  type ExtensionCall,
  type Outcome,
  readBoolean,
  readText,
  requireBoolean,
  type Simulation,
  standIn,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { extensionUrn, toCanonicalJson } from '../../values/index.ts'

/** Creates the extension that answers from a function's scripted scenarios instead of running it. */
export function simulationExtension(): Extension {
  return {
    urn: extensionUrn('simulation'),
    version: '1.0.0',
    phase: 'replace',
    order: -20,
    around(exchange, next) {
      const enabled = requireBoolean(exchange, 'enabled')
      const name = readText(exchange, 'scenario')
      const list = readBoolean(exchange, 'list_scenarios') ?? false
      if (!enabled) {
        exchange.answer({ simulated: false })
        return next(exchange.call)
      }
      const scenarios = exchange.target.definition.simulations ?? []
      if (scenarios.length === 0) throw notSupported(exchange)
      if (list) return listScenarios(exchange, scenarios)
      return play(exchange, chooseScenario(exchange, scenarios, name))
    },
  }
}

function listScenarios(exchange: ExtensionCall, scenarios: readonly Simulation[]): Outcome {
  const standard = defaultScenario(scenarios)
  exchange.answer({
    simulated: false,
    available_scenarios: scenarios.map((scenario) => ({
      name: scenario.name,
      ...(scenario.description !== undefined && { description: scenario.description }),
      is_error: scenario.error !== undefined,
      is_default: scenario === standard,
    })),
  })
  return standIn(exchange)
}

function play({ answer }: ExtensionCall, scenario: Simulation): Outcome {
  answer({
    simulated: true,
    scenario: scenario.name,
    ...(scenario.metadata && { metadata: scenario.metadata }),
  })
  const { error, output } = scenario
  if (error === undefined) return { ok: true, result: output ?? null }
  throw new CallError(error.code, {
    message: error.message,
    ...(error.data && { details: error.data }),
  })
}

function chooseScenario(
  exchange: ExtensionCall,
  scenarios: readonly Simulation[],
  name: string | undefined,
): Simulation {
  const { call } = exchange
  const chosen =
    name === undefined
      ? (scenarios.find(
          ({ input }) => toCanonicalJson(input) === toCanonicalJson(call.arguments),
        ) ?? defaultScenario(scenarios))
      : scenarios.find((scenario) => scenario.name === name)
  if (chosen === undefined) throw notFound(exchange, scenarios, name ?? 'default')
  return chosen
}

function defaultScenario(scenarios: readonly Simulation[]): Simulation | undefined {
  return (
    scenarios.find(({ name }) => name === 'default') ??
    scenarios.find(({ error }) => error === undefined) ??
    scenarios[0]
  )
}

function notSupported({ answer, target }: ExtensionCall): CallError {
  answer({ simulated: false, error: 'unsupported' })
  return new CallError('SIMULATION_NOT_SUPPORTED', {
    message: `Function '${target.name}' does not support simulation`,
    details: { function: target.name },
  })
}

function notFound(
  { answer, pointer, target }: ExtensionCall,
  scenarios: readonly Simulation[],
  requested: string,
): CallError {
  answer({ simulated: false, error: 'scenario_not_found', requested_scenario: requested })
  return new CallError('SIMULATION_SCENARIO_NOT_FOUND', {
    message: `Simulation scenario '${requested}' not found`,
    source: { pointer: `${pointer}/options/scenario` },
    details: {
      function: target.name,
      requested_scenario: requested,
      available_scenarios: scenarios.map(({ name }) => name),
    },
  })
}
