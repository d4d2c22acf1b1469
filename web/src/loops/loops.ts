// The list of loops.
import { listLoops } from '../api/loops'
import type { BriefLoop, EntryOfAll, Status } from '../api/types'
import { listing } from '../listing/listing'

export type LoopRow = BriefLoop & { id: string }

export const loops = listing<LoopRow, Status>({
  read: async (filter, offset, limit) => {
    const { data, total, damaged } = await listLoops(filter, offset, limit)
    return { rows: data.map(rowOf), total, damaged: damaged.map(({ loop_id: id, reason }) => ({ id, reason })) }
  },
  event: 'entry',
  changeOf: (data) => {
    const { loop_id, loop } = data as EntryOfAll
    return { id: loop_id, row: loop && rowOf(loop) }
  },
})

function rowOf(loop: BriefLoop): LoopRow {
  return { ...loop, id: loop.loop_id }
}
