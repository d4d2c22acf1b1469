// What a second agent says of the work before its end; and the field of the form that names it.
import type { Loop } from '../api/types'
import { t as common } from '../i18n'
import { Card } from '../run/panels'
import { Field } from '../ui/Field'
import type { Tone } from '../ui/tones'
import { t } from './i18n'

type Objection = NonNullable<NonNullable<Loop['engine']['review']>['objections']>[number]
const TONES: Readonly<Record<Objection['status'], Tone>> = {
  open: 'warn',
  disputed: 'warn',
  answered: 'info',
  settled: 'good',
}

export function ReviewCard({ loop }: { loop: Loop }) {
  const { review } = loop.engine
  if (!review) return null
  return (
    <Card id="review" title={t('review.title')} head={<span class="muted small">{review.by}</span>}>
      <div class="card-body stack">
        {review.missing && <p>{t('review.missing', { why: review.missing })}</p>}
        {!review.missing && !review.objections.length && <p class="muted">{t('review.none')}</p>}
        {review.objections.map(({ id, status, file, line, quote, why, answer }) => (
          <div key={id}>
            <p class="row spread small">
              <code>
                {file}
                {line && `:${line}`}
              </code>
              <span class={`badge tone-${TONES[status]}`}>{t(`review.${status}`)}</span>
            </p>
            <p>{why}</p>
            <pre class="small">{quote}</pre>
            {answer && <p class="muted small">{t('review.answer', { words: answer })}</p>}
          </div>
        ))}
      </div>
    </Card>
  )
}

export function ReviewField({ errors }: { errors: Readonly<Record<string, string | undefined>> }) {
  return (
    <Field
      label={t('review.field')}
      optional={common('field.optional')}
      hint={t('review.field_hint')}
      error={errors.review}
    >
      <input class="input mono" name="review" autocomplete="off" spellcheck={false} />
    </Field>
  )
}

export function readReview(form: FormData): { review?: string } {
  const named = String(form.get('review') ?? '').trim()
  return named ? { review: named } : {}
}
