import { documents } from '../surfaces/documents/index.ts'
import { type ForrstOptions, forrst } from '../surfaces/forrst/index.ts'
import { type McpHandlerOptions, mcp } from '../surfaces/mcp/index.ts'
import { type ProfileOptions, profile } from '../surfaces/profile/index.ts'
import { type RestSurfaceOptions, rest } from '../surfaces/rest/index.ts'
import type { Surface } from '../surfaces/surface/index.ts'
import { explorer, type ServiceToolApiOptions } from '../surfaces/tools/index.ts'

/** What single surfaces are told, by their name. */
export interface AllSurfacesOptions {
  readonly forrst?: ForrstOptions
  readonly rest?: RestSurfaceOptions
  readonly mcp?: McpHandlerOptions
  readonly explorer?: ServiceToolApiOptions
  readonly profile?: ProfileOptions
}

/** Gives every surface there is, as `serve` has them by default. */
export function allSurfaces(options: AllSurfacesOptions = {}): readonly Surface[] {
  return [
    forrst(options.forrst),
    rest(options.rest),
    documents(),
    mcp(options.mcp),
    explorer(options.explorer),
    profile(options.profile),
  ]
}
