/** Reads the columns `register` and `mapping` of parking gateways; cameras have a `mapping` too. */
import { type ModbusRegister, modbusRegisterWireSchema } from '../../../shared/drivers/modbus-register.js';
import { anyMappingSchema } from '../../../shared/drivers/sensor-mapping.js';

/** The text is checked, because a later version may have written more fields. @throws ZodError for another text */
export const decodeRegister = (text: string | null): ModbusRegister | null =>
  text === null ? null : modbusRegisterWireSchema.parse(JSON.parse(text));

export const decodeMapping = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : anyMappingSchema.parse(JSON.parse(text));
