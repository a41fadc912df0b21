import { useEffect, useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { capabilitiesPanel } from './capabilities-panel.tsx'
import { healthPanel } from './health-panel.tsx'
import { operationsPanel } from './operations-panel.tsx'
import { overviewPanel } from './overview-panel.tsx'
import type { Panel } from './panel.ts'
import { triggersPanel } from './triggers-panel.tsx'

/** Every panel there is, in the order of the bar. */
const PANELS: readonly Panel[] = [
  overviewPanel,
  healthPanel,
  operationsPanel,
  triggersPanel,
  capabilitiesPanel,
]

/** Gives the panel of a view; any panel answers to its address, shown in the bar or not. */
export function findPanel(view: string): Panel {
  return PANELS.find(({ id }) => id === view) ?? overviewPanel
}

/** Gives the panels this service has something for. */
export function usePanels(): readonly Panel[] {
  const explorer = useExplorer()
  const available = useCell(explorer.panels)
  return PANELS.filter(({ id }) => available.has(id))
}

/** Asks each panel whether it has something to show, as soon as the service is known. */
export function useProbes(): void {
  const explorer = useExplorer()
  const present = useCell(explorer.servicePresent)
  const [asked, setAsked] = useState(false)
  useEffect(() => {
    if (!present || asked) return
    setAsked(true)
    for (const panel of PANELS) {
      panel.probe(explorer).then((found) => {
        if (found) explorer.panels.set(new Set([...explorer.panels.get(), panel.id]))
      }, ignore)
    }
  }, [present])
}

/** A panel that cannot find out stays hidden. */
function ignore(): void {}
