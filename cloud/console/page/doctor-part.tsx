/** What a gateway found when it last looked at itself, in the words that the gateway uses, and how to have it look again. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { inGroups } from '../../../shared/doctor/in-groups.js';
import { describeFinding } from '../../../shared/doctor/describe-finding.js';
import type { DoctorWords } from '../../../shared/doctor/doctor-words.js';
import { guideOf } from '../../../shared/doctor/findings.js';
import { ageText } from '../../../shared/troubles/age.js';
import { FINDING_STATES, type FindingState, findingState, isOld } from '../wording/doctor-state.js';
import { timeOf, words } from './browser.js';
import { gatewayCareWords } from './gateway-care-words.js';
import { Button, Empty, Opened, Refused } from './parts.js';
import { doctorWords } from './rare-words.js';
import { useSending } from './sending.js';
import { client, mayManage } from './session.js';
import { serverMinute } from './store.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

const say = words.devices;
const care = gatewayCareWords.doctor;
const ASKED_EVERY_MS = 1_000;
/** The checks take 15 s at most. */
const WAITED_MS = 30_000;

type Kept = components['schemas']['GatewayDoctor'];
type Found = Kept['report']['findings'][number];

interface GatewayFacts {
  id: number;
  name: string;
  isConnected: boolean;
  timezone: string | undefined;
}

export const DoctorPart = (props: GatewayFacts) => (
  <Opened summary={say.doctor}>
    <LastReport {...props} />
  </Opened>
);

function LastReport({ id, name, isConnected, timezone }: GatewayFacts) {
  const read = useRead(`doctor ${id}`, async (signal) => ({
    kept: await client().get('/v2/gateways/{id}/doctor', { path: { id }, signal }),
    doctorText: await doctorWords(),
  }));
  const { found, refusal } = read;
  const askedAt = useSignal<string | null>(null);
  const sending = useSending([]);
  const isWaiting = askedAt.value !== null && (found?.kept?.at ?? '') < askedAt.value;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const end = setTimeout(() => (askedAt.value = null), WAITED_MS);
    return () => clearTimeout(end);
  }, [isWaiting]);
  useAgain(read, isWaiting ? ASKED_EVERY_MS : null);
  const ask = () => {
    if (isWaiting) return;
    void sending.send(async () => {
      askedAt.value = (await client().post('/v2/gateways/{id}/doctor', { path: { id } })).asked_at;
    });
  };
  return (
    <>
      <Refused refusal={sending.refusal ?? refusal} />
      {found !== null &&
        (found.kept === null ? (
          <Empty>{say.doctorNone}</Empty>
        ) : (
          <Report kept={found.kept} doctorText={found.doctorText} isConnected={isConnected} timezone={timezone} />
        ))}
      {mayManage.value && isConnected && (
        <div class="buttons">
          <Button
            look="small"
            word={isWaiting ? say.doctorWaits : say.doctorAsk}
            about={name}
            isBusy={sending.isBusy || isWaiting}
            onClick={ask}
          />
        </div>
      )}
    </>
  );
}

interface ReportProps {
  kept: Kept;
  doctorText: DoctorWords;
  isConnected: boolean;
  timezone: string | undefined;
}

function Report({ kept, doctorText, isConnected, timezone }: ReportProps) {
  const [at_ms, now_ms] = [Date.parse(kept.at), serverMinute()];
  const age = ageText(Math.max(0, now_ms - at_ms), words.ages);
  const report = { at_ms, now_ms, isConnected };
  const causes = inGroups(kept.report.findings);
  const groups = FINDING_STATES.map((state) => ({
    state,
    findings: causes.filter(({ finding }) => findingState(finding, report) === state),
  })).filter(({ findings }) => findings.length > 0);
  const lines = (findings: typeof causes, state: FindingState) => (
    <ul class="findings">
      {findings.map(({ finding, following }, at) => (
        <FindingLine key={at} {...{ finding, following, state, doctorText, age }} />
      ))}
    </ul>
  );
  return (
    <>
      <p class="facts">{care.looked(timeOf(kept.at, timezone), age)}</p>
      {isOld(report) && <p class="notice">{isConnected ? care.old : care.alone}</p>}
      {groups.map(({ state, findings }) => {
        const heading = care.counted(care.states[state], findings.length);
        return state === 'ok' ? (
          <Opened key={state} summary={heading}>
            <p class="facts">{care.okNext}</p>
            {lines(findings, state)}
          </Opened>
        ) : (
          <section key={state} aria-label={heading}>
            <h3>{heading}</h3>
            {lines(findings, state)}
          </section>
        );
      })}
    </>
  );
}

const LOOKS = { needsYou: 'failure', unknown: 'unknown', ok: 'ok' } as const;

interface FindingProps {
  finding: Found;
  following: readonly Found[];
  state: FindingState;
  doctorText: DoctorWords;
  age: string;
}

function FindingLine({ finding, following, state, doctorText, age }: FindingProps) {
  const { area, says, todo } = describeFinding(finding, doctorText);
  const wasOk = state === 'unknown' && !/[._]unknown$/.test(finding.id);
  const next =
    state === 'needsYou' ? (todo ?? care.noStep) : state === 'unknown' && !wasOk ? (todo ?? care.notLookedNext) : null;
  return (
    <li class={LOOKS[state]}>
      <b>{area}</b>
      {state === 'unknown' && ` (${wasOk ? care.was(age) : care.notLooked})`}: {says}
      {next !== null && <span class="todo">{next}</span>}
      <GuideLink finding={finding} />
      {following.length > 0 && (
        <ul class="findings">
          {following.map((each, at) => (
            <li key={at} class={LOOKS.needsYou}>
              <b>{doctorText.follows}</b>: {saysOf(each, doctorText)}
              <GuideLink finding={each} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function saysOf(finding: Found, doctorText: DoctorWords): string {
  const { area, says } = describeFinding(finding, doctorText);
  return `${area}: ${says}`;
}

function GuideLink({ finding: { id, level } }: { finding: Found }) {
  const guide = level === 'ok' ? null : guideOf(id);
  return guide === null ? null : <a href={guide}>{id}</a>;
}
