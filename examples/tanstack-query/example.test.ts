import { it } from 'vitest'
import { playQueries } from './main.ts'

it('shows, pages and changes orders with the observers of TanStack Query', playQueries)
