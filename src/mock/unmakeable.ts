/** Says that no value could be made for a schema, or for the way through it that was tried. */
export class Unmakeable extends Error {
  override readonly name = 'Unmakeable'
}
