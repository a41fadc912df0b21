import { render } from 'preact'
import { createExplorer, ExplorerProvider } from './model/explorer.ts'
import { App } from './view/app.tsx'
import './style/index.css'

declare global {
  // Written into the page by the server.
  var executeEnabled: boolean
  var triggersPresent: boolean
  var serviceWatched: boolean
}

const explorer = createExplorer(window, globalThis)
const root = document.getElementById('app')
if (root !== null) {
  root.textContent = ''
  render(
    <ExplorerProvider value={explorer}>
      <App />
    </ExplorerProvider>,
    root,
  )
  void explorer.loadTools()
}
