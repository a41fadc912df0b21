import { installScratch, nodePackage } from './scratch.ts'

/** Installs the clients and servers that tests try Waymark with; undefined when nothing can be downloaded. */
export function installPrograms(): Promise<string | undefined> {
  return installScratch('mcp-programs', [
    'mcporter@0.12.3',
    '@modelcontextprotocol/inspector@2.12.0',
    '@modelcontextprotocol/server-everything@2026.8.31',
    '@modelcontextprotocol/server-filesystem@2026.8.31',
    '@modelcontextprotocol/server-memory@2026.8.31',
    '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
    `${nodePackage()}@24.21.0`,
  ])
}
