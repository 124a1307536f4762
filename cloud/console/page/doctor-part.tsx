/** What a gateway found when it last looked at itself, in the words that the gateway uses, and how to have it look again. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DoctorWords } from '../../../shared/doctor/doctor-words.js';
import { guideOf } from '../../../shared/doctor/findings.js';
import { countLevels, describeFinding, shownLevelOf } from '../../../shared/doctor/describe-finding.js';
import { timeOf, words } from './browser.js';
import { Button, Empty, Opened, Refused } from './parts.js';
import { doctorWords } from './rare-words.js';
import { useSending } from './sending.js';
import { client, mayManage } from './session.js';
import { useRead } from './use-read.js';

const say = words.devices;
const ASKED_EVERY_MS = 1_000;
/** The checks take 15 s at most. */
const WAITED_MS = 30_000;

type Kept = components['schemas']['GatewayDoctor'];

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
  const { found, refusal, again } = useRead(`doctor ${id}`, async (signal) => ({
    kept: await client().get('/v2/gateways/{id}/doctor', { path: { id }, signal }),
    doctorText: await doctorWords(),
  }));
  const askedAt = useSignal<string | null>(null);
  const sending = useSending([]);
  const isWaiting = askedAt.value !== null && (found?.kept?.at ?? '') < askedAt.value;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const end = setTimeout(() => (askedAt.value = null), WAITED_MS);
    return () => clearTimeout(end);
  }, [isWaiting]);
  // Each reading breaks off the one before: the next one waits for its answer.
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(again, ASKED_EVERY_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, found, refusal]);
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
          <Report kept={found.kept} doctorText={found.doctorText} timezone={timezone} />
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

function Report({ kept, doctorText, timezone }: { kept: Kept; doctorText: DoctorWords; timezone: string | undefined }) {
  const { findings } = kept.report;
  return (
    <>
      <p class="facts">
        {timeOf(kept.at, timezone)}: {doctorText.summary(countLevels(findings))}
      </p>
      <ul class="findings">
        {findings.map((finding, at) => {
          const { level, area, says, todo } = describeFinding(finding, doctorText);
          const guide = finding.level === 'ok' ? null : guideOf(finding.id);
          return (
            <li key={at} class={shownLevelOf(finding)}>
              <b>{level}</b> {area}: {says}
              {todo !== null && <span class="todo">{todo}</span>}
              {guide !== null && <a href={guide}>{finding.id}</a>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
