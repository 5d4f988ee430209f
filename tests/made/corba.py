"""Records of the CORBA study's server and client made by hand, whose numbers a test can say beforehand."""

SERVER = (
    "number,received_ns,queued_ns,receiver_end_ns,removed_ns,dispatched_ns,servant_start_ns,servant_end_ns,replied_ns,"
    "cpu_ns,queue_length,dispatcher\n"
    "0,1000000,200000,250000,900000,400000,450000,5450000,5500000,5000100,1,0\n"
    "1,3000000,200000,2200000,2700000,3000000,3050000,8050000,8100000,5000000,2,0\n"
)
CLIENT = (
    "number,connection,intended_ns,sent_ns,ended_ns,outcome\n"
    "0,0,700000,800000,6600000,ok\n"
    "1,0,2500000,2500000,11200000,ok\n"
    "2,0,4000000,4000000,60004000000,TIMEOUT\n"
)
