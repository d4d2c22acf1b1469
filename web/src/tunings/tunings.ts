// The list of tuning sessions.
import { type BriefTuning, listTunings, type TuningEntry, type TuningStatus } from '../api/tunings'
import { listing } from '../listing/listing'

export type TuningRow = BriefTuning & { id: string }

export const tunings = listing<TuningRow, TuningStatus>({
  read: async (filter, offset, limit) => {
    const { data, total, damaged } = await listTunings(filter, offset, limit)
    return { rows: data.map(rowOf), total, damaged: damaged.map(({ tuning_id: id, reason }) => ({ id, reason })) }
  },
  event: 'tuning_entry',
  changeOf: (data) => {
    const { tuning_id, tuning } = data as TuningEntry
    return { id: tuning_id, row: tuning && rowOf(tuning) }
  },
})

function rowOf(tuning: BriefTuning): TuningRow {
  return { ...tuning, id: tuning.tuning_id }
}
