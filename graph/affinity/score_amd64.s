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

// func addScaled(to, from *float32, n int, x float32)
//
// Adds x times from[k] to to[k], for every k below n. It multiplies and adds apart, as
// the Go code does.
TEXT ·addScaled(SB), NOSPLIT, $0-28
	MOVQ   to+0(FP), DI
	MOVQ   from+8(FP), SI
	MOVQ   n+16(FP), CX
	MOVSS  x+24(FP), X0
	SHUFPS $0, X0, X0
	SUBQ   $8, CX
	JLT    few

eight:
	MOVUPS 0(SI), X1
	MOVUPS 16(SI), X2
	MULPS  X0, X1
	MULPS  X0, X2
	MOVUPS 0(DI), X3
	MOVUPS 16(DI), X4
	ADDPS  X1, X3
	ADDPS  X2, X4
	MOVUPS X3, 0(DI)
	MOVUPS X4, 16(DI)
	ADDQ   $32, SI
	ADDQ   $32, DI
	SUBQ   $8, CX
	JGE    eight

few:
	ADDQ $8, CX
	JZ   end

one:
	MOVSS (SI), X1
	MULSS X0, X1
	MOVSS (DI), X3
	ADDSS X1, X3
	MOVSS X3, (DI)
	ADDQ  $4, SI
	ADDQ  $4, DI
	DECQ  CX
	JNZ   one

end:
	RET

// func scoreAVX(base, own *units, index *uint16, value *float32, n int, in, out *units) float32
//
// Adds base and own, then value[k] times the row in[index[k]] for every k below n,
// and reads the score as Network.read does, in the same order. It multiplies and adds
// apart, as the Go code does.
TEXT ·scoreAVX(SB), NOSPLIT, $0-60
	MOVQ    base+0(FP), DI
	MOVQ    own+8(FP), R8
	MOVQ    index+16(FP), SI
	MOVQ    value+24(FP), DX
	MOVQ    n+32(FP), CX
	MOVQ    in+40(FP), BX
	MOVQ    out+48(FP), R9
	VMOVUPS 0(DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VADDPS  0(R8), Y0, Y0
	VADDPS  32(R8), Y1, Y1
	VADDPS  64(R8), Y2, Y2
	VADDPS  96(R8), Y3, Y3

next:
	TESTQ        CX, CX
	JZ           read
	MOVWLZX      (SI), AX
	SHLQ         $7, AX         // a row is 32 numbers of 4 bytes
	ADDQ         BX, AX
	VBROADCASTSS (DX), Y8
	VMULPS       0(AX), Y8, Y9
	VMULPS       32(AX), Y8, Y10
	VMULPS       64(AX), Y8, Y11
	VMULPS       96(AX), Y8, Y12
	VADDPS       Y9, Y0, Y0
	VADDPS       Y10, Y1, Y1
	VADDPS       Y11, Y2, Y2
	VADDPS       Y12, Y3, Y3
	ADDQ         $2, SI
	ADDQ         $4, DX
	DECQ         CX
	JMP          next

read:
	MOVL         $0xff800000, AX // minus infinity: unit 0 has no kink
	VMOVD        AX, X9
	VXORPS       Y10, Y10, Y10
	VMAXPS       Y9, Y0, Y0
	VMAXPS       Y10, Y1, Y1
	VMAXPS       Y10, Y2, Y2
	VMAXPS       Y10, Y3, Y3
	MOVL         $0x3f800000, AX // one: unit 0 has no weight
	VMOVD        AX, X11
	VMOVUPS      0(R9), Y12
	VBLENDPS     $1, Y11, Y12, Y12
	VMULPS       Y12, Y0, Y0
	VMULPS       32(R9), Y1, Y1
	VMULPS       64(R9), Y2, Y2
	VMULPS       96(R9), Y3, Y3
	VADDPS       Y1, Y0, Y0
	VADDPS       Y3, Y2, Y2
	VADDPS       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x0e, X0, X1   // its upper half
	VADDPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, ret+56(FP)
	VZEROUPPER
	RET

// func hasAVX() bool
//
// The processor must know AVX and the system must keep its registers.
TEXT ·hasAVX(SB), NOSPLIT, $0-1
	MOVB   $0, ret+0(FP)
	MOVL   $1, AX
	XORL   CX, CX
	CPUID
	ANDL   $0x18000000, CX
	CMPL   CX, $0x18000000 // OSXSAVE and AVX
	JNE    no
	XORL   CX, CX
	XGETBV
	ANDL   $6, AX
	CMPL   AX, $6          // SSE and AVX
	JNE    no
	MOVB   $1, ret+0(FP)

no:
	RET
