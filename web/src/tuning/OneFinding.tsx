// One finding: what is wrong, why that matters, what to do, and the lines of the skill that it is about.
import { useMemo } from 'preact/hooks'
import type { Finding } from '../api/tunings'
import { Loaded } from '../run/Loaded'
import { Fact, Scroll } from '../run/panels'
import { useResource } from '../run/resource'
import { excerptLines, isAsFound, linesOf, type SourceLine } from './excerpt'
import { fixesOf, issueOf, stateOf } from './findings'
import { t } from './i18n'
import type { TuningResources, TuningView } from './parts'
import { FIX_TONES, SEVERITY_TONES } from './tones'

interface OneFindingProps {
  resources: TuningResources
  view: TuningView
  finding: Finding
}

export function OneFinding({ resources, view, finding }: OneFindingProps) {
  const { run: tuning } = view
  const issue = issueOf(finding, tuning.issues)
  const fixes = fixesOf(issue, tuning.proposed_fixes)
  return (
    <article class="card flaw" aria-labelledby="finding-title">
      <header class="flaw-head">
        <p class="row small">
          <span class={`badge tone-${SEVERITY_TONES[finding.severity]} severity-${finding.severity}`}>
            {t(`severity.${finding.severity}`)}
          </span>
          <code>{finding.rule}</code>
          <span class="muted">{t(`confidence.${finding.confidence}`)}</span>
          {issue && <span class="muted mono">{issue.id}</span>}
        </p>
        <h3 id="finding-title">{finding.message}</h3>
      </header>
      <Source resources={resources} finding={finding} />
      {finding.review && <Sides review={finding.review} />}
      <dl class="card-body facts wide">
        <Fact name={t('findings.why')}>{finding.why}</Fact>
        <Fact name={t('findings.advice')}>
          <strong>{finding.advice}</strong>
        </Fact>
        {finding.review && <Reviewers review={finding.review} />}
        {finding.also.length > 0 && !finding.review && (
          <Fact name={t('findings.also')} class="mono small">
            {finding.also.join(', ')}
          </Fact>
        )}
        <Fact name={t('findings.strategy')} class="mono small">
          {finding.strategy}
        </Fact>
        {fixes.map(({ id, description }) => {
          const { state } = stateOf(tuning, id)
          return (
            <Fact key={id} name={t('findings.fixed_by')}>
              <a href={resources.address.href(`fixes-${id}`)}>
                {id}: {description}
              </a>{' '}
              <span class={`badge tone-${FIX_TONES[state]}`}>{t(`fix.${state}`)}</span>
            </Fact>
          )
        })}
      </dl>
    </article>
  )
}

type Review = NonNullable<Finding['review']>

/** All that the agents quote, beside each other. */
function Sides({ review }: { review: Review }) {
  const sides = (['evidence', 'other_side', 'against'] as const).filter((side) => review[side].length > 0)
  return (
    <div class="sides">
      {sides.map((side) => (
        <section key={side}>
          <h4>{t(`review.${side}`)}</h4>
          {review[side].map(({ file, line, text }) => (
            <figure key={`${file}:${line}`}>
              <blockquote>{text}</blockquote>
              <figcaption class="muted mono small">
                {file}:{line}
              </figcaption>
            </figure>
          ))}
        </section>
      ))}
    </div>
  )
}

/** What was searched for, and who they are. */
function Reviewers({ review }: { review: Review }) {
  return (
    <>
      {review.absent.length > 0 && (
        <Fact name={t('review.absent')} class="mono small">
          {review.absent.join(', ')}
        </Fact>
      )}
      <Fact name={t('review.by')}>{review.by}</Fact>
      {review.refuter !== '' && (
        <Fact name={t('review.refuter')}>
          {review.refuter}
          {review.why !== '' && `: ${review.why}`}
        </Fact>
      )}
    </>
  )
}

/** A file that is no text, or is gone, has no lines: then the excerpt that was kept is all there is. */
function Source({ resources, finding }: { resources: TuningResources; finding: Finding }) {
  const source = resources.parts.sources.of(finding.file)
  const held = useResource(source)
  const lines = useMemo(() => (held.data ? linesOf(held.data.text) : []), [held.data])
  if (held.problem?.status === 404) return <Old finding={finding} />
  return (
    <Loaded of={source}>
      {() =>
        isAsFound(lines, finding.line, finding.excerpt) ? (
          <Lines file={finding.file} at={finding.line} lines={excerptLines(lines, finding)} />
        ) : (
          <Old finding={finding} />
        )
      }
    </Loaded>
  )
}

function Old({ finding }: { finding: Finding }) {
  return (
    <div class="source-old">
      <p class="notice tone-warn small">{t('findings.as_found')}</p>
      <Lines
        file={finding.file}
        at={finding.line}
        lines={[
          {
            number: finding.line,
            text: finding.excerpt,
            marked: [Number(finding.marked[0] ?? 0), Number(finding.marked[1] ?? 0)],
          },
        ]}
      />
    </div>
  )
}

function Lines({ file, at, lines }: { file: string; at: number; lines: readonly SourceLine[] }) {
  return (
    <figure class="source">
      <figcaption class="mono small">
        {file}:{at}
      </figcaption>
      <Scroll class="source-scroll" label={t('findings.source', { file })}>
        <table>
          <thead class="sr-only">
            <tr>
              <th>{t('source.line')}</th>
              <th>{t('source.text')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ number, text, marked }) => (
              <tr key={number} class={marked ? 'meant' : undefined}>
                <td class="no" data-n={number} />
                <td class="code">
                  {marked ? (
                    <>
                      {text.slice(0, marked[0])}
                      <mark>{text.slice(marked[0], marked[1])}</mark>
                      {text.slice(marked[1])}
                    </>
                  ) : (
                    text || '\u200b'
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </figure>
  )
}
