// cp_element, an element of SIZE bytes that is copied and not computed with.

template <int> struct cp_word;
template <> struct cp_word<1> { typedef unsigned char type; };
template <> struct cp_word<2> { typedef unsigned short type; };
template <> struct cp_word<4> { typedef unsigned type; };
template <> struct cp_word<8> { typedef unsigned long long type; };
template <> struct cp_word<16> { typedef ulonglong2 type; };
typedef cp_word<SIZE>::type cp_element;
