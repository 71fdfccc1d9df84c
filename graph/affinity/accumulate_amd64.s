#include "textflag.h"

// func accumulate(u *units, index *uint16, value *float32, n int, in *units)
//
// Adds value[k] times the row in[index[k]] to u, for every k below n. It uses the
// instructions that every amd64 processor has, and rounds as the Go code does.
TEXT ·accumulate(SB), NOSPLIT, $0-40
	MOVQ u+0(FP), DI
	MOVQ index+8(FP), SI
	MOVQ value+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ in+32(FP), BX
	MOVUPS 0(DI), X0
	MOVUPS 16(DI), X1
	MOVUPS 32(DI), X2
	MOVUPS 48(DI), X3
	MOVUPS 64(DI), X4
	MOVUPS 80(DI), X5
	MOVUPS 96(DI), X6
	MOVUPS 112(DI), X7

loop:
	TESTQ   CX, CX
	JZ      done
	MOVWLZX (SI), AX
	SHLQ    $7, AX   // a row is 32 numbers of 4 bytes
	ADDQ    BX, AX
	MOVSS   (DX), X8
	SHUFPS  $0, X8, X8
	MOVUPS  0(AX), X9
	MULPS   X8, X9
	ADDPS   X9, X0
	MOVUPS  16(AX), X10
	MULPS   X8, X10
	ADDPS   X10, X1
	MOVUPS  32(AX), X11
	MULPS   X8, X11
	ADDPS   X11, X2
	MOVUPS  48(AX), X12
	MULPS   X8, X12
	ADDPS   X12, X3
	MOVUPS  64(AX), X9
	MULPS   X8, X9
	ADDPS   X9, X4
	MOVUPS  80(AX), X10
	MULPS   X8, X10
	ADDPS   X10, X5
	MOVUPS  96(AX), X11
	MULPS   X8, X11
	ADDPS   X11, X6
	MOVUPS  112(AX), X12
	MULPS   X8, X12
	ADDPS   X12, X7
	ADDQ    $2, SI
	ADDQ    $4, DX
	DECQ    CX
	JMP     loop

done:
	MOVUPS X0, 0(DI)
	MOVUPS X1, 16(DI)
	MOVUPS X2, 32(DI)
	MOVUPS X3, 48(DI)
	MOVUPS X4, 64(DI)
	MOVUPS X5, 80(DI)
	MOVUPS X6, 96(DI)
	MOVUPS X7, 112(DI)
	RET
