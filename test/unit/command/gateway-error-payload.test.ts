import { describe, expect, it } from 'vitest';
import { gatewayErrorEvent } from '../../../cloud/equipment/command/gateway-error-payload.js';
import type { GatewayErrorType } from '../../../shared/errors.js';
import { proves } from '../../contract/sending-rules.js';

/** Written apart from the code (specification, "Types of gateway_error"). */
const MESSAGES = [
  'Auth error',
  'Invalid guest key',
  'Device disconnected',
  'Bluetooth error',
  'Device not found',
  'Device jammed',
  'Car on top',
  'Sensor dirty',
  'Device not initialized',
  'Rtcc not set',
  'Device busy',
  'Unknown error',
];

describe('gateway_error', () => {
  const command = { event_id: '0123abcd', product: { id: 7, name: 'Entry barrier' } };
  const common = { event_id: '0123abcd', data: { id: 7, name: 'Entry barrier' } };

  it('has the number and its message', proves('gateway_error: types'), () => {
    for (const [type, message] of MESSAGES.entries()) {
      const error = type as GatewayErrorType;
      expect(gatewayErrorEvent({ ...command, error })).toEqual({ type, ...common, message });
    }
  });

  it('is a Timeout without a message', proves('gateway_error: timeout'), () => {
    expect(gatewayErrorEvent({ ...command, error: 'Timeout' })).toEqual({ type: 'Timeout', ...common });
  });
});
