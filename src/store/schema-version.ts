/** Says that a store was written by a later version of this package. */
export function newerSchema(name: string, found: number, known: number): TypeError {
  return new TypeError(
    `The store ${name} has schema version ${found}, but this version of waymark knows only ${known}: upgrade waymark or use another store`,
  )
}
