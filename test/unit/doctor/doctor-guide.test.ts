/** The guide "What doctor says" is written from the words that programs and consoles show: `-u` writes it anew. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SHELL_WORDS as WORDS } from '../../../agent/doctor/shell-words.js';
import { FINDING_IDS, FINDINGS, type FindingId, guideOf } from '../../../shared/doctor/findings.js';
import { areaOf } from '../../../shared/doctor/describe-finding.js';
import { ROOT } from '../../contract/pages/repository-pages.js';

const INTRODUCTION = `# What doctor says

\`parking-agent doctor\` looks at everything that a gateway needs, in seconds, and says what is well and what is not. It moves nothing, and keeps
no vehicle waiting. It also runs where the gateway does not, without a claim, and without a network: then it looks at the device alone.

- \`--plate ZG1234AB\`, with \`--camera NAME\` for one camera: what would become of this plate, and why. Nothing is opened, kept or reported.
- \`--cycle NAME\`: opens and closes a product. It asks first; \`--yes\` answers.
- \`--json\`: the report for programs. The exit code is 0, or 1 when something has failed; warnings do not count. Wrong use is 2.

The page of the gateway has the same report, and so has the service: \`GET /v2/gateways/{id}/doctor\` is the last one, and \`POST\` asks a connected
gateway for another, once a minute. A report holds ids and facts and no sentences, so that everybody reads it in their own language. **Ids stay as they are**,
and so does the level of each; versions to come add some, so show an id that you do not know by itself, with its level.

What follows is in the order of the ids. In braces is what a report says in that place.
`;

function guide(): string {
  const trouble = FINDING_IDS.filter((id) => FINDINGS[id].level !== 'ok');
  const well = FINDING_IDS.filter((id) => FINDINGS[id].level === 'ok');
  return [
    INTRODUCTION,
    ...trouble.map(section),
    '## All is well\n',
    '| Id | Says |\n| --- | --- |',
    ...well.map((id) => `| \`${id}\` | ${areaWords(id)}: ${WORDS.findings[id].says} |`),
    '',
  ].join('\n');
}

function section(id: FindingId): string {
  const { says, todo = '' } = WORDS.findings[id];
  return `## ${id}\n\n**${WORDS.levels[FINDINGS[id].level]}** · ${areaWords(id)}: ${says}\n\n${todo}\n`;
}

const areaWords = (id: FindingId): string => WORDS.areas[areaOf(id) as keyof typeof WORDS.areas];

it('is the page of the guides', async () => {
  await expect(guide()).toMatchFileSnapshot(join(ROOT, 'cloud/guides/doctor.md'));
});

it('has a place for each id that needs somebody, and links lead there', () => {
  const headings = [...guide().matchAll(/^## (.+)$/gm)].map(
    ([, heading = '']) => `/docs/guides/doctor#${heading.replace('.', '')}`,
  );
  const troubled = FINDING_IDS.filter((id) => FINDINGS[id].level !== 'ok');
  expect(troubled.filter((id) => !headings.includes(guideOf(id) ?? ''))).toEqual([]);
  expect(new Set(headings).size).toBe(headings.length);
});
