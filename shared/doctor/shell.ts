/** The words for findings that only a shell shows, where commands are English: no gateway answers, or it is not what is installed. */
import type { DoctorWords, FindingWords, ShellFindingId } from './doctor-words.js';
import { EN } from './en.js';
import type { FindingId } from './findings.js';

const SHELL_FINDINGS: Record<ShellFindingId, FindingWords> = {
  'gateway.not_running': {
    says: 'does not run: nothing answers at {url}; only the device was checked',
    todo: 'Start it: systemctl start parking-agent, or parking-agent run. If it runs, is AGENT_HTTP_PORT the same here?',
  },
  'gateway.not_asked': {
    says: 'runs, but could not be asked: {problem}; only the device was checked',
    todo: 'Look at its log, and restart it: systemctl restart parking-agent.',
  },
  'gateway.other_version': {
    says: 'version {running} runs, {installed} is installed',
    todo: 'Restart it: systemctl restart parking-agent.',
  },
  'gateway.erasing': {
    says: 'its erasure was begun and is not finished: the next start goes on with it',
    todo: 'Start it, and the erasure goes on: systemctl start parking-agent, or parking-agent run. Then claim it anew; put no backup back.',
  },
  'gateway.identity_unreadable': {
    says: 'its identity can be read only by its own user: {path}',
    todo: 'Run doctor as that user or with sudo to check cloud and broker, too.',
  },
  'gateway.identity_damaged': {
    says: 'its identity is damaged: {path}',
    todo: 'Put a backup of the file back; without one move it away and claim the gateway anew.',
  },
  'gateway.port_taken': {
    says: 'cannot start: its port {port} is held by {program}',
    todo: 'End that program (the number is its process), or set AGENT_HTTP_PORT to a free port.',
  },
  'gateway.port_refused': {
    says: 'cannot start: {problem}',
    todo: 'Correct AGENT_HTTP_HOST and AGENT_HTTP_PORT, then start it: systemctl restart parking-agent.',
  },
};

/** The words for a shell: those of the pages in English, and those for a gateway that does not answer. */
export const SHELL_WORDS = {
  ...EN,
  findings: { ...EN.findings, ...SHELL_FINDINGS },
} satisfies DoctorWords & { findings: Record<FindingId, FindingWords> };
