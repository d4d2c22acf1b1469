// The list of cycles.
import { type BriefCycle, type CycleEntry, type CycleStatus, listCycles } from '../api/cycles'
import { listing } from '../listing/listing'

export type CycleRow = BriefCycle & { id: string }

export const cycles = listing<CycleRow, CycleStatus>({
  read: async (filter, offset, limit) => {
    const { data, total, damaged } = await listCycles(filter, offset, limit)
    return { rows: data.map(rowOf), total, damaged: damaged.map(({ cycle_id: id, reason }) => ({ id, reason })) }
  },
  event: 'cycle_entry',
  changeOf: (data) => {
    const { cycle_id, cycle } = data as CycleEntry
    return { id: cycle_id, row: cycle && rowOf(cycle) }
  },
})

function rowOf(cycle: BriefCycle): CycleRow {
  return { ...cycle, id: cycle.cycle_id }
}
