# Chooses the slot that starts (RAUC's names: BOOT_ORDER, BOOT_A_LEFT, BOOT_B_LEFT) and starts its kernel. U-Boot is Debian's own.
# Each start takes one try from its slot; `rauc status mark-good` gives them back. A slot without tries is passed over, and out of the order
# from then on: what did not start is not tried again because the power goes three times in its successor's first minute.
# The state is on partition 2 twice, as libubootenv keeps it: crc32, one byte that counts the writes, text. Only the older copy is
# ever written, so that a power cut leaves the other. `env import -c` knows the form without the counter: it is moved out and in.
part start ${devtype} ${devnum} 2 first_block
setexpr second_block ${first_block} + 400
setexpr first ${ramdisk_addr_r} + 0
setexpr second ${ramdisk_addr_r} + 10000
setexpr plain ${ramdisk_addr_r} + 20000
setexpr plain_text ${plain} + 4
setenv names BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT

setenv take 'setexpr counter_at ${copy} + 4; setexpr text ${copy} + 5; cp.b ${copy} ${plain} 4; cp.b ${text} ${plain_text} 3ffb; env import -c ${plain} 3fff ${names}'
setenv give 'env export -c -s 3fff ${plain} ${names}; setexpr counter_at ${copy} + 4; setexpr text ${copy} + 5; cp.b ${plain} ${copy} 4; mw.b ${counter_at} ${counter}; cp.b ${plain_text} ${text} 3ffb; ${devtype} write ${copy} ${block} 20'

setenv BOOT_ORDER 'A B'
setenv BOOT_A_LEFT 3
setenv BOOT_B_LEFT 3
setenv counter 0
setenv newest none
${devtype} read ${first} ${first_block} 20
${devtype} read ${second} ${second_block} 20
setenv copy ${first}
if run take; then setexpr.b counter *${counter_at}; setenv newest first; fi
setenv copy ${second}
setexpr counter_at ${second} + 4
setexpr.b second_counter *${counter_at}
setexpr following ${counter} + 1
setexpr following ${following} \& ff
if test ${newest} = none || test ${second_counter} = ${following}; then
  if run take; then setenv counter ${second_counter}; setenv newest second; fi
fi

setenv slot
setenv order
for candidate in ${BOOT_ORDER}; do
  if test -z "${slot}" && test ${candidate} = A && test ${BOOT_A_LEFT} -gt 0; then setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1; setenv slot a; setenv rauc_slot A; setenv system 3; fi
  if test -z "${slot}" && test ${candidate} = B && test ${BOOT_B_LEFT} -gt 0; then setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1; setenv slot b; setenv rauc_slot B; setenv system 5; fi
  if test -n "${slot}"; then
    if test -z "${order}"; then setenv order ${candidate}; else setenv order "${order} ${candidate}"; fi
  fi
done
if test -z "${slot}"; then
  # A device that can be helped by nobody goes round, and the slot that was out of the order comes last.
  echo "parking: no slot has a try left; both get three again"
  if test "${BOOT_ORDER}" = B || test "${BOOT_ORDER}" = 'B A'; then setenv order 'B A'; else setenv order 'A B'; fi
  setenv BOOT_A_LEFT 3
  setenv BOOT_B_LEFT 3
fi
setenv BOOT_ORDER "${order}"

setexpr counter ${counter} + 1
setexpr counter ${counter} \& ff
if test ${newest} = first; then setenv copy ${second}; setenv block ${second_block}; else setenv copy ${first}; setenv block ${first_block}; fi
run give
if test -z "${slot}"; then reset; fi

echo "parking: slot ${slot}, order ${BOOT_ORDER}, tries left A ${BOOT_A_LEFT}, B ${BOOT_B_LEFT} (state: ${newest})"
setenv consoles 'console=tty1'
if test "${board}" = qemu-arm; then setenv consoles 'console=ttyAMA0'; fi
setenv bootargs "parking.slot=${slot} rauc.slot=${rauc_slot} ${consoles} panic=10 audit=0 systemd.gpt_auto=no"
# The firmware of a Raspberry Pi and QEMU both hand a device tree over.
if test -z "${fdt_addr}"; then setenv fdt_addr ${fdtcontroladdr}; fi
if load ${devtype} ${devnum}:${system} ${kernel_addr_r} /boot/vmlinuz && load ${devtype} ${devnum}:${system} ${ramdisk_addr_r} /boot/initramfs; then
  booti ${kernel_addr_r} ${ramdisk_addr_r}:${filesize} ${fdt_addr}
fi
echo "parking: slot ${slot} has no kernel that starts"
sleep 2
reset
