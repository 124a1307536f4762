/** Reads the column `register` of a parking gateway. */
import { type ModbusRegister, modbusRegisterWireSchema } from '../../shared/drivers/modbus-register.js';

/** The text is checked, because a later version may have written more fields. @throws ZodError for what is no register */
export const decodeRegister = (text: string | null): ModbusRegister | null =>
  text === null ? null : modbusRegisterWireSchema.parse(JSON.parse(text));
