#include "textflag.h"

// func addWeighted(u *Units, weights *Units, index *uint16, value *float32, n int)
//
// It keeps the 32 sums in X0 to X7, and adds the inputs in their order. Products and sums are
// rounded one by one, as in Go.
TEXT ·addWeighted(SB), NOSPLIT, $0-40
	MOVQ u+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ index+16(FP), BX
	MOVQ value+24(FP), DX
	MOVQ n+32(FP), CX
	MOVUPS (DI), X0
	MOVUPS 16(DI), X1
	MOVUPS 32(DI), X2
	MOVUPS 48(DI), X3
	MOVUPS 64(DI), X4
	MOVUPS 80(DI), X5
	MOVUPS 96(DI), X6
	MOVUPS 112(DI), X7
	XORQ R8, R8
	JMP check

next:
	MOVWQZX (BX)(R8*2), AX
	SHLQ $7, AX // 128 bytes for each input
	ADDQ SI, AX
	MOVSS (DX)(R8*4), X8
	SHUFPS $0, X8, X8
	MOVUPS (AX), X9
	MOVUPS 16(AX), X10
	MOVUPS 32(AX), X11
	MOVUPS 48(AX), X12
	MULPS X8, X9
	MULPS X8, X10
	MULPS X8, X11
	MULPS X8, X12
	ADDPS X9, X0
	ADDPS X10, X1
	ADDPS X11, X2
	ADDPS X12, X3
	MOVUPS 64(AX), X9
	MOVUPS 80(AX), X10
	MOVUPS 96(AX), X11
	MOVUPS 112(AX), X12
	MULPS X8, X9
	MULPS X8, X10
	MULPS X8, X11
	MULPS X8, X12
	ADDPS X9, X4
	ADDPS X10, X5
	ADDPS X11, X6
	ADDPS X12, X7
	INCQ R8

check:
	CMPQ R8, CX
	JLT next
	MOVUPS X0, (DI)
	MOVUPS X1, 16(DI)
	MOVUPS X2, 32(DI)
	MOVUPS X3, 48(DI)
	MOVUPS X4, 64(DI)
	MOVUPS X5, 80(DI)
	MOVUPS X6, 96(DI)
	MOVUPS X7, 112(DI)
	RET
