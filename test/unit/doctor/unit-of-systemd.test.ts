import { expect, it } from 'vitest';
import { unitIn } from '../../../agent/doctor/decide-gateway.js';

it('finds the unit of systemd that the gateway is part of', () => {
  expect(unitIn('0::/system.slice/parking-agent.service\n')).toBe('parking-agent.service');
  expect(unitIn('0::/system.slice/parking-agent.service/child\n')).toBe('parking-agent.service');
  expect(unitIn('0::/user.slice/user-1000.slice/session-3.scope\n')).toBeNull();
  expect(unitIn('0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n')).toBeNull();
  expect(unitIn('0::/\n')).toBeNull();
});
